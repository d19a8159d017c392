import crawlercommons.robots.SimpleRobotRulesParser;
import java.util.List;

/** The repcheck adapter for crawler-commons with its older matching of agents, by prefix. */
final class Adapter {
  // Relative Sitemap lines are resolved against it, and it stands in log messages.
  private static final String WHENCE = "http://x.test/robots.txt";

  public static void main(String[] args) throws Exception {
    SimpleRobotRulesParser parser = new SimpleRobotRulesParser();
    parser.setExactUserAgentMatching(false);
    Kit.serve(
        "java-crawler-commons-prefix",
        "com.github.crawler-commons:crawler-commons",
        "crawler-commons",
        // Names have to be lower-case, and "*" is asked for by no name at all: parseContent
        // points to sanitizeRobotNames for both. All others go through it as they are.
        (robots, agent) ->
            parser.parseContent(
                WHENCE,
                robots,
                "text/plain",
                SimpleRobotRulesParser.sanitizeRobotNames(List.of(agent))),
        (rules, agent, url) -> rules.isAllowed(url));
  }
}
