//! Asks robotstxt-rs without the adapter: three base64 fields a line in, a word a line out.

use base64::prelude::{Engine, BASE64_STANDARD};
use robotstxt_rs::RobotsTxt;

/// What follows the authority of a URL, with a slash in place of an empty path.
fn path(url: &str) -> String {
    let scheme = |s: &str| {
        s.starts_with(|c: char| c.is_ascii_alphabetic())
            && s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    };
    let mut rest = match url.split_once(':') {
        Some((before, after)) if scheme(before) => after,
        _ => url,
    };
    if let Some(authority) = rest.strip_prefix("//") {
        rest = authority.trim_start_matches(|c| !matches!(c, '/' | '?' | '#'));
    }
    match rest.chars().next() {
        None | Some('?' | '#') => String::from("/") + rest,
        _ => String::from(rest),
    }
}

fn ask(line: &str) -> &'static str {
    let mut fields = line.split('\t').map(|field| BASE64_STANDARD.decode(field).expect("base64"));
    let mut next = || fields.next().expect("three fields");
    let (robots, agent, url) = (next(), next(), next());
    let (Ok(agent), Ok(url)) = (String::from_utf8(agent), String::from_utf8(url)) else {
        return "unsupported";
    };
    let (robots, _, _) = encoding_rs::UTF_8.decode(&robots);
    match std::panic::catch_unwind(|| RobotsTxt::parse(&robots).can_fetch(&agent, &path(&url))) {
        Ok(true) => "allow",
        Ok(false) => "disallow",
        Err(_) => "error",
    }
}

fn main() {
    for line in std::io::stdin().lines() {
        println!("{}", ask(&line.expect("stdin is text")));
    }
}
