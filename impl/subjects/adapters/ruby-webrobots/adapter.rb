# repcheck adapter for webrobots, asked as its README shows.
require 'webrobots'
require 'webrobots/version'
require_relative 'repcheck_adapter'

RepcheckAdapter.serve(
  name: 'ruby-webrobots', package: 'webrobots', version: Webrobots::VERSION, lineage: 'webrobots',
  parse: ->(robots) { { robots: robots, sites: nil, agent: nil } },
  ask: lambda do |file, agent, url|
    # One object knows one crawler. It fetches and parses the file for each host it is asked
    # about, and http_get is what its users put in place of its own fetching.
    if file[:agent] != agent
      file[:agent] = agent
      file[:sites] = WebRobots.new(agent, http_get: ->(_) { file[:robots] }, crawl_delay: :ignore)
    end
    begin
      file[:sites].allowed?(url)
    rescue ArgumentError, URI::InvalidURIError => e
      raise RepcheckAdapter::Reject, e.message
    end
  end
)
