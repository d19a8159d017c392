//! Asks robotstxt without the adapter: three base64 fields a line in, a word a line out.

use base64::prelude::{Engine, BASE64_STANDARD};
use robotstxt::DefaultMatcher;

fn ask(line: &str) -> &'static str {
    let mut fields = line.split('\t').map(|field| BASE64_STANDARD.decode(field).expect("base64"));
    let mut next = || fields.next().expect("three fields");
    let (robots, agent, url) = (next(), next(), next());
    let robots = String::from_utf8_lossy(&robots);
    let (Ok(agent), Ok(url)) = (String::from_utf8(agent), String::from_utf8(url)) else {
        return "unsupported";
    };
    let verdict = std::panic::catch_unwind(|| {
        let mut matcher = DefaultMatcher::default();
        matcher.one_agent_allowed_by_robots(&robots, &agent, &url)
    });
    match verdict {
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
