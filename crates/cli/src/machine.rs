//! The memory and cores of the machine.

use std::fs::read_to_string;

/// Half of the memory that this process may use, and no more than is available now, in bytes: others want to work, too.
/// `None` where the system does not say.
pub fn default_memory_limit() -> Option<u64> {
    let meminfo = read_to_string("/proc/meminfo").unwrap_or_default();
    let granted: Option<u64> =
        read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    let may_use = [bytes(&meminfo, "MemTotal:"), granted].into_iter().flatten().min();
    [may_use.map(|all| all / 2), bytes(&meminfo, "MemAvailable:")].into_iter().flatten().min()
}

fn bytes(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes << 10)
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo() {
        let text = "MemTotal:       16 kB\nMemAvailable: 1 kB\n";
        assert_eq!(bytes(text, "MemTotal:"), Some(16 << 10));
        assert_eq!(bytes(text, "MemAvailable:"), Some(1 << 10));
        assert_eq!(bytes("nothing", "MemTotal:"), None);
    }
}
