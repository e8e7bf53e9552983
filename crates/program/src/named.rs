//! Enums whose variants are words of a text form, each spelled once.

/// Declares enums, and for each all its variants, their names, and the way back.
#[macro_export]
macro_rules! named {
    ($($(#[$attribute:meta])* $visible:vis enum $type:ident {
        $($(#[$of_variant:meta])* $variant:ident = $name:literal),+ $(,)?
    })+) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $visible enum $type {
            $($(#[$of_variant])* $variant,)+
        }

        impl $type {
            pub const ALL: [$type; [$($type::$variant,)+].len()] = [$($type::$variant,)+];

            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }

            pub fn from_name(name: &str) -> Option<$type> {
                match name {
                    $($name => Some($type::$variant),)+
                    _ => None,
                }
            }
        }
    )+};
}
