"""Selvedge for BenchExec (https://github.com/sosy-lab/benchexec).

Copy it into benchexec/tools, or name it with its package, which BenchExec finds on PYTHONPATH:
PYTHONPATH=contrib benchexec --tool-directory target/release contrib/selvedge_benchexec/selvedge.xml
"""

import re

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task

ANSWERS = {
    "true": result.RESULT_TRUE_PROP,
    "false(unreach-call)": result.RESULT_FALSE_REACH,
    "false(valid-deref)": result.RESULT_FALSE_DEREF,
    "false(valid-free)": result.RESULT_FALSE_FREE,
    "false(valid-memtrack)": result.RESULT_FALSE_MEMTRACK,
    "false(valid-memcleanup)": result.RESULT_FALSE_MEMCLEANUP,
    "false(no-overflow)": result.RESULT_FALSE_OVERFLOW,
    "false(no-deadlock)": result.RESULT_FALSE_DEADLOCK,
    "false(no-data-race)": result.RESULT_FALSE_DATARACE,
    "false(termination)": result.RESULT_FALSE_TERMINATION,
}

# What Selvedge says it was stopped by, and what BenchExec calls that.
LIMITS = [("time limit", result.RESULT_TIMEOUT), ("memory limit", "OUT OF MEMORY")]


class Tool(benchexec.tools.template.BaseTool2):
    def executable(self, tool_locator):
        return tool_locator.find_executable("selvedge")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="selvedge ")

    def name(self):
        return "Selvedge"

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "svcomp"]
        if task.property_file:
            command += ["--property-file", task.property_file]
        model = get_data_model_from_task(task, {ILP32: "ILP32", LP64: "LP64"})
        if model:
            command += ["--data-model", model]
        if rlimits.cputime:
            command += ["--time-limit", str(int(rlimits.cputime))]
        if rlimits.memory:
            # The rest is for the compiler, and for what the system counts beside.
            command += ["--memory-limit", str(int(rlimits.memory * 0.9) // 1_000_000)]
        return command + options + [task.single_input_file]

    def determine_result(self, run):
        for line in run.output:
            answer = re.fullmatch(r"RESULT: (true|false\([a-z-]+\)|unknown.*)", line.strip())
            if not answer:
                continue
            if answer[1] in ANSWERS:
                return ANSWERS[answer[1]]
            for words, limit in LIMITS:
                if words in answer[1]:
                    return limit
            return result.RESULT_UNKNOWN
        return result.RESULT_ERROR
