//! Asks robotxt without the adapter: three base64 fields a line in, a word a line out.

use std::io::{stdin, stdout, Write};

use base64::prelude::{Engine, BASE64_STANDARD};
use robotxt::url::Url;
use robotxt::Robots;

fn word(robots: &[u8], agent: &[u8], url: &[u8]) -> &'static str {
    let (Ok(agent), Ok(url)) = (std::str::from_utf8(agent), std::str::from_utf8(url)) else {
        return "unsupported";
    };
    let Ok(url) = Url::parse(url) else {
        return "unsupported";
    };
    match std::panic::catch_unwind(|| Robots::parse(robots, agent).is_url_allowed(&url)) {
        Ok(true) => "allow",
        Ok(false) => "disallow",
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
