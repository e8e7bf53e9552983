//! The models in C++: what the headers of the standard library (GNU's, libstdc++) leave to the library itself.
//!
//! They are compiled with the headers that the program was compiled with, so that layouts and names are those of this
//! version, and stand on pthreads and libc as the program does. Below them is the run-time library, in C
//! (`c/cxxabi.c`).

/// A file, and by what names of the program it is recognised to be needed.
#[derive(Debug)]
pub struct CxxModel {
    pub name: &'static str,
    pub text: &'static str,
    /// Parts of mangled names that this file defines.
    parts: &'static [&'static str],
}

static MODELS: [CxxModel; 8] = [
    CxxModel {
        name: "exceptions.cpp",
        text: include_str!("../cxx/exceptions.cpp"),
        parts: &[
            "_Znw",
            "_Zna",
            "_Zdl",
            "_Zda",
            "__throw_",
            "St9exception",
            "St13bad_exception",
            "St9bad_alloc",
            "St8bad_cast",
            "St10bad_typeid",
            "St17bad_function_call",
            "St20bad_array_new_length",
            "_error",
            "St16invalid_argument",
            "St12out_of_range",
            "exception_ptr",
            "St9type_info",
            "__cxa_bad_",
            "__cxa_throw_bad",
            "St7nothrow",
        ],
    },
    CxxModel {
        name: "system_error.cpp",
        text: include_str!("../cxx/system_error.cpp"),
        parts: &[
            "error_category",
            "generic_category",
            "system_category",
            "St12system_error",
            "St10error_code",
            "system_errori",
        ],
    },
    CxxModel { name: "thread.cpp", text: include_str!("../cxx/thread.cpp"), parts: &["NSt6thread"] },
    CxxModel {
        name: "condition_variable.cpp",
        text: include_str!("../cxx/condition_variable.cpp"),
        parts: &["NSt18condition_variable"],
    },
    CxxModel { name: "chrono.cpp", text: include_str!("../cxx/chrono.cpp"), parts: &["NSt6chrono3_V2"] },
    CxxModel {
        name: "containers.cpp",
        text: include_str!("../cxx/containers.cpp"),
        parts: &["_List_node_base", "_Rb_tree", "_Prime_rehash_policy", "_Hash_bytes"],
    },
    CxxModel { name: "string.cpp", text: include_str!("../cxx/string.cpp"), parts: &["12basic_stringIc"] },
    CxxModel {
        name: "future.cpp",
        text: include_str!("../cxx/future.cpp"),
        parts: &["__once_", "St13__future_base", "__atomic_futex_unsigned_base", "future_error", "future_category"],
    },
];

/// The files that define some of these names.
pub fn cxx_models(wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static CxxModel> {
    MODELS.iter().filter(move |model| model.parts.iter().any(|part| wanted(part)))
}
