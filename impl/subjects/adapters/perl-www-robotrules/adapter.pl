# repcheck adapter for WWW::RobotRules.
use strict;
use warnings;

use RepcheckAdapter 'serve';
use URI;
use WWW::RobotRules;

serve(
    name => 'perl-www-robotrules', package => 'WWW::RobotRules',
    version => $WWW::RobotRules::VERSION, lineage => 'www-robotrules',
    parse => sub { return { robots => $_[0], rules => {} } },
    ask => sub {
        my ($file, $agent, $url) = @_;
        # An object knows one agent, and parses a file for a host.
        my $robots_url = URI->new($url);
        $robots_url->path('/robots.txt');
        $robots_url->$_(undef) for qw(query fragment);
        # The last agent's alone are kept: memory must not grow with the questions.
        $file->{rules} = {} if ($file->{agent} // '') ne $agent;
        $file->{agent} = $agent;
        my $rules = $file->{rules}{$robots_url} //= do {
            my $new = WWW::RobotRules->new($agent);
            $new->parse($robots_url, $file->{robots});
            $new;
        };
        return $rules->allowed($url);
    },
);
