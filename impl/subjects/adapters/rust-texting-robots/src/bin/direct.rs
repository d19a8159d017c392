//! Asks texting_robots without the adapter: three base64 fields a line in, a word a line out.

use std::io::{stdin, stdout, Write};

use base64::prelude::{Engine, BASE64_STANDARD};
use texting_robots::Robot;

fn word(robots: &[u8], agent: &[u8], url: &[u8]) -> &'static str {
    let (Ok(agent), Ok(url)) = (std::str::from_utf8(agent), std::str::from_utf8(url)) else {
        return "unsupported";
    };
    let asked = std::panic::catch_unwind(|| Robot::new(agent, robots).map(|r| r.allowed(url)));
    match asked {
        Ok(Ok(true)) => "allow",
        Ok(Ok(false)) => "disallow",
        Ok(Err(_)) => "reject",
        Err(_) => "error",
    }
}

fn main() {
    let mut out = String::new();
    for line in stdin().lines() {
        let line = line.unwrap();
        let field: Vec<_> = line
            .split('\t')
            .map(|f| BASE64_STANDARD.decode(f).unwrap())
            .collect();
        out += word(&field[0], &field[1], &field[2]);
        out += "\n";
    }
    stdout().write_all(out.as_bytes()).unwrap();
}
