//! Asks robotparser-rs without the adapter: three base64 fields a line in, a word a line out.

use base64::prelude::{Engine, BASE64_STANDARD};
use robotparser_rs::RobotFileParser;

fn ask(line: &str) -> &'static str {
    let mut fields = line.split('\t').map(|field| BASE64_STANDARD.decode(field).expect("base64"));
    let mut next = || fields.next().expect("three fields");
    let (robots, agent, url) = (next(), next(), next());
    let (Ok(agent), Ok(url)) = (String::from_utf8(agent), String::from_utf8(url)) else {
        return "unsupported";
    };
    let verdict = std::panic::catch_unwind(|| {
        let mut parser = RobotFileParser::new("http://example.com/robots.txt");
        parser.parse(&String::from_utf8_lossy(&robots).lines().collect::<Vec<_>>());
        parser.can_fetch(&agent, &url)
    });
    match verdict {
        Ok(Ok(true)) => "allow",
        Ok(Ok(false)) => "disallow",
        Ok(Err(_)) => "reject",
        Err(_) => "error",
    }
}

fn main() {
    for line in std::io::stdin().lines() {
        println!("{}", ask(&line.expect("stdin is text")));
    }
}
