# Fetches a page and the pages it links to, as far as Mechanize does that with robots
# set. It raises an error for a page that robots.txt forbids.
require 'mechanize'

seed, name = ARGV
agent = Mechanize.new
agent.robots = true
agent.user_agent = name
agent.open_timeout = agent.read_timeout = 8
agent.cert_store = OpenSSL::X509::Store.new.tap(&:set_default_paths)
agent.get(seed).links.each do |link|
  link.click
rescue Mechanize::RobotsDisallowedError
  next
end
