//! Asks cylon without the adapter: three base64 fields a line in, a word a line out.

use std::io::{stdin, stdout, Write};

use base64::prelude::{Engine, BASE64_STANDARD};
use cylon::Compiler;

/// What follows scheme and authority, if the URL has them; "/" for an empty path.
fn path(url: &[u8]) -> Vec<u8> {
    let is_scheme = |s: &[u8]| {
        s.first().is_some_and(u8::is_ascii_alphabetic)
            && s.iter()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b))
    };
    let mut rest = url;
    if let Some(colon) = url.iter().position(|b| *b == b':') {
        if is_scheme(&url[..colon]) {
            rest = &url[colon + 1..];
        }
    }
    if rest.starts_with(b"//") {
        let end = rest[2..].iter().position(|b| b"/?#".contains(b));
        rest = end.map_or(b"", |end| &rest[2 + end..]);
    }
    match rest.first() {
        None | Some(b'?' | b'#') => [b"/", rest].concat(),
        _ => rest.to_vec(),
    }
}

fn word(robots: &[u8], agent: &[u8], url: &[u8]) -> &'static str {
    let Ok(agent) = std::str::from_utf8(agent) else {
        return "unsupported";
    };
    let asked = std::panic::catch_unwind(|| {
        let cylon = pollster::block_on(Compiler::new(agent).compile(robots))?;
        Ok::<_, std::io::Error>(cylon.allow(path(url)))
    });
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
