# Asks WWW::RobotRules without the adapter: base64 fields of a file, an agent and a URL in, a word out.
use strict;
use warnings;

use MIME::Base64;
use URI;
use WWW::RobotRules;

while (my $line = <STDIN>) {
    my ($robots, $agent, $url) = map { decode_base64($_) } split /\t/, $line;
    my $allowed = eval {
        my $rules = WWW::RobotRules->new($agent);
        $rules->parse(URI->new_abs('/robots.txt', $url), $robots);
        $rules->allowed($url);
    };
    print +{ 0 => 'disallow', 1 => 'allow' }->{ $allowed // '' } // 'error', "\n";
}
