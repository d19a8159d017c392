# Crawls from a page. Spider.start_at does the same with "Ruby Spider" as the agent of
# the rules; here it is the agent that is sent.
require 'spider'

seed, agent = ARGV
spider = SpiderInstance.new({ nil => [seed] }, [], RobotRules.new(agent))
spider.headers['User-Agent'] = agent
spider.start!
