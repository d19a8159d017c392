import edu.uci.ics.crawler4j.crawler.CrawlConfig;
import edu.uci.ics.crawler4j.crawler.Page;
import edu.uci.ics.crawler4j.fetcher.PageFetcher;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtConfig;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtServer;
import edu.uci.ics.crawler4j.url.WebURL;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Fetches the pages that a page links to, if the RobotstxtServer of crawler4j allows it. */
class Crawl {
    private static PageFetcher fetcher;

    public static void main(String[] args) throws Exception {
        CrawlConfig config = new CrawlConfig();
        config.setUserAgentString(args[1]);
        config.setPolitenessDelay(0);
        config.setSocketTimeout(8000);
        config.setConnectionTimeout(8000);
        fetcher = new PageFetcher(config);
        try {
            crawl(args[0], args[1]);
        } finally {
            fetcher.shutDown(); // ends its thread
        }
    }

    private static void crawl(String seed, String agent) throws Exception {
        RobotstxtConfig robots = new RobotstxtConfig();
        robots.setUserAgentName(agent);
        RobotstxtServer server = new RobotstxtServer(robots, fetcher);
        var links = Pattern.compile("href=\"([^\"]+)\"").matcher(fetch(url(seed)));
        while (links.find()) {
            WebURL link = url(links.group(1));
            if (server.allows(link)) {
                fetch(link);
            }
        }
    }

    private static WebURL url(String text) {
        WebURL url = new WebURL();
        url.setURL(text);
        return url;
    }

    private static String fetch(WebURL url) throws Exception {
        var result = fetcher.fetchPage(url);
        Page page = new Page(url);
        boolean read = result.fetchContent(page, 1 << 20);
        return read ? new String(page.getContentData(), StandardCharsets.UTF_8) : "";
    }
}
