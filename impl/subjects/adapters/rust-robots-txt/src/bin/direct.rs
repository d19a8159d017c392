//! Asks robots_txt without the adapter: three base64 fields a line in, a word a line out.

use std::io::{stdin, stdout, Write};

use base64::prelude::{Engine, BASE64_STANDARD};
use robots_txt::matcher::SimpleMatcher;
use robots_txt::Robots;

/// What follows scheme and authority, if the URL has them; "/" for an empty path.
fn path(url: &str) -> String {
    let is_scheme = |s: &str| {
        s.starts_with(|c: char| c.is_ascii_alphabetic())
            && s.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    let mut rest = match url.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        _ => url,
    };
    if rest.starts_with("//") {
        rest = rest[2..]
            .find(['/', '?', '#'])
            .map_or("", |end| &rest[2 + end..]);
    }
    match rest.chars().next() {
        None | Some('?' | '#') => format!("/{rest}"),
        _ => rest.to_string(),
    }
}

fn word(robots: &[u8], agent: &[u8], url: &[u8]) -> &'static str {
    let (Ok(agent), Ok(url)) = (std::str::from_utf8(agent), std::str::from_utf8(url)) else {
        return "unsupported";
    };
    let text = String::from_utf8_lossy(robots);
    let asked = std::panic::catch_unwind(|| {
        let robots = Robots::from_str_lossy(&text);
        SimpleMatcher::new(&robots.choose_section(agent).rules).check_path(&path(url))
    });
    match asked {
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
