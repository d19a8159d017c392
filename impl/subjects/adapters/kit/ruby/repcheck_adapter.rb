# The loop that the Ruby adapters share; the protocol is in impl/process/protocol.go.
#
# An adapter says what it is and gives two functions of its own:
#
#     require_relative 'repcheck_adapter'
#
#     RepcheckAdapter.serve(
#       name: 'ruby-library', package: 'library', version: Library::VERSION, lineage: 'library',
#       parse: ->(robots) { ... },              # octets of a whole file; once for each file
#       ask: ->(parsed, agent, url) { ... }     # once for each URL
#     )
#
# robots is a binary String, which is what Net::HTTP hands on; agent and url are UTF-8, and what
# is none is answered "unsupported" here. ask returns true or false. What either function raises
# is the answer "error"; raise Reject for a refusal that the library documents, Unsupported for
# a question that its interface has no room for.
#
# ns is the time inside parse and ask. What goes to stdout lands on stderr.

require 'json'

module RepcheckAdapter
  class Unsupported < StandardError; end

  class Reject < StandardError; end

  # Answers requests until stdin ends.
  def self.serve(name:, package:, version:, lineage:, ask:, parse: ->(robots) { robots })
    answers = $stdout.dup
    $stdout.reopen($stderr)
    hello = { hello: 1, name: name, package: package, version: version, language: 'ruby',
              lineage: lineage, features: %w[time hash], window: 256 }
    loop = Loop.new(parse, ask)
    $stdin.binmode.each_line do |line|

      request = JSON.parse(line.force_encoding(Encoding::UTF_8))
      reply = request.key?('hello') ? hello : loop.answer(request)
      answers.write(JSON.generate(reply), "\n")
      answers.flush
    end
  end

  # Answers requests, one after the other.
  class Loop
    def initialize(parse, ask)
      @parse = parse
      @ask = ask
      @robots = @hash = @said = nil # the last file: requests for one file come in a row
    end

    def answer(request)
      @ns = 0
      said = attempt { about(request) }
      { id: request['id'], **said, ns: @ns }
    end

    private

    def about(request)
      load(request)
      agent = text(request, 'agent')
      @said ||= attempt { { parsed: timed { @parse.call(@robots) } } }
      return @said unless @said.key?(:parsed)
      return one(agent) { text(request, 'url') } if request.key?('url') || request.key?('url_b64')

      urls = request['urls']&.map { |url| -> { url } } ||
             request['urls_b64'].map { |url| -> { utf8(url, 'url') } }
      { allows: urls.map { |url| one(agent, &url).then { |said| said.fetch(:allow, said) } } }
    end

    def load(request)
      robots = request['robots']&.b || request['robots_b64']&.unpack1('m')
      if robots
        @said = nil if robots != @robots
        @robots = robots
        @hash = request['hash']
      elsif @robots.nil? || request['hash'] != @hash
        raise "unknown hash #{request['hash']}"
      end
    end

    # What is said of one URL.
    def one(agent)
      attempt do
        url = yield
        allow = timed { @ask.call(@said[:parsed], agent, url) }
        raise "the library answers #{allow.inspect}, neither true nor false" unless [true, false].include?(allow)

        { allow: allow }
      end
    end

    def timed
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      yield
    ensure
      @ns += Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - start
    end

    # The hash that the block returns, or what its exception means.
    def attempt
      yield
    rescue Unsupported => e
      { unsupported: e.message }
    rescue Reject => e
      { reject: e.message }
    rescue StandardError, SystemStackError, NotImplementedError => e
      # A message may quote octets, which JSON has no room for.
      { error: "#{e.class}: #{e.message}".dup.force_encoding(Encoding::UTF_8).scrub[0, 1000] }
    end

    def text(request, key)
      request[key] || utf8(request["#{key}_b64"], key)
    end

    def utf8(base64, key)
      octets = base64.unpack1('m').force_encoding(Encoding::UTF_8)
      raise Unsupported, "the adapter asks with UTF-8 strings, and this #{key} is none" unless octets.valid_encoding?

      octets
    end
  end
end
