import edu.uci.ics.crawler4j.robotstxt.RobotstxtConfig;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtParser;
import java.nio.charset.StandardCharsets;

/** The repcheck adapter for the robots.txt parser of crawler4j. */
final class Adapter {
  public static void main(String[] args) throws Exception {
    Kit.serve(
        "java-crawler4j",
        "edu.uci.ics:crawler4j",
        "crawler4j",
        (robots, agent) -> {
          // The agent decides about the order in which the groups are kept.
          RobotstxtConfig config = new RobotstxtConfig();
          config.setUserAgentName(agent);
          // RobotstxtServer decodes by the charset of the response.
          return RobotstxtParser.parse(new String(robots, StandardCharsets.UTF_8), config);
        },
        (directives, agent, url) -> directives.allows(Kit.pathAndQuery(url)));
  }
}
