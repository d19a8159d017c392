# Asks webrobots without the adapter: base64 fields of a file, an agent and a URL in, a word out.
require 'webrobots'

$stdin.each_line do |line|
  robots, agent, url = line.chomp.split("\t", -1).map { |field| field.unpack1('m') }
  [agent, url].each { |text| text.force_encoding('UTF-8') }
  puts(
    if !agent.valid_encoding? || !url.valid_encoding?
      'unsupported'
    else
      begin
        WebRobots.new(agent, http_get: proc { robots }, crawl_delay: :ignore).allowed?(url) ? 'allow' : 'disallow'
      rescue ArgumentError, URI::InvalidURIError
        'reject'
      rescue StandardError
        'error'
      end
    end
  )
end
