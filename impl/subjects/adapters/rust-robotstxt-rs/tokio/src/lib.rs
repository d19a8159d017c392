//! Stands in for tokio, of which robotstxt-rs uses nothing.
