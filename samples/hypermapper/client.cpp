// A client of HyperMapper's protocol in C++: starts the tuner, evaluates each request, and prints the best time.
//
// tunepass hypermapper --home tuner
// g++ -std=c++11 -o client samples/hypermapper/client.cpp
// HYPERMAPPER_HOME=tuner ./client samples/hypermapper/scenario.json
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using Row = std::vector<std::string>;

// The tuner's process, with a stream into its input and one out of its output.
struct Tuner {
    pid_t pid;
    FILE *requests;
    FILE *replies;
};

Tuner start(const std::string &script, const char *scenario)
{
    int requests[2], replies[2];
    if (pipe(requests) != 0 || pipe(replies) != 0) {
        std::perror("pipe");
        std::exit(1);
    }
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(replies[0], STDIN_FILENO);
        dup2(requests[1], STDOUT_FILENO);
        for (int end : {requests[0], requests[1], replies[0], replies[1]})
            close(end);
        execlp("python3", "python3", script.c_str(), scenario, static_cast<char *>(nullptr));
        std::perror("python3");
        _exit(127);
    }
    close(requests[1]);
    close(replies[0]);
    return {pid, fdopen(requests[0], "r"), fdopen(replies[1], "w")};
}

std::string line_of(FILE *stream)
{
    char line[1000];
    if (!std::fgets(line, sizeof line, stream)) {
        std::cerr << "the tuner's output ended" << std::endl;
        std::exit(1);
    }
    const std::string text(line);
    return text.substr(0, text.find('\n'));
}

// The cells of a line: commas inside parentheses are a permutation's.
Row cells_of(const std::string &line)
{
    Row cells(1);
    int depth = 0;
    for (char c : line) {
        depth += (c == '(') - (c == ')');
        if (c == ',' && depth == 0)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

// A made-up cost in place of a compiler and a run.
double time_of(int tile, int unroll, const std::string &order)
{
    const double strided = order[1] == '1' ? 1.5 : 1.0;
    return strided * (std::abs(tile - 32) / 8.0 + 4.0 / unroll + 1);
}

int main(int count, char **words)
{
    const char *home = std::getenv("HYPERMAPPER_HOME");
    if (count != 2 || !home) {
        std::cerr << "usage: HYPERMAPPER_HOME=FOLDER " << words[0] << " SCENARIO" << std::endl;
        return 2;
    }
    const Tuner tuner = start(std::string(home) + "/scripts/hypermapper.py", words[1]);
    double best = -1;
    int evaluated = 0;
    std::string request;
    while ((request = line_of(tuner.requests)) != "End of HyperMapper") {
        const int rows = std::stoi(request.substr(request.find(' ') + 1)); // "Request 6"
        const std::string header = line_of(tuner.requests);
        const Row names = cells_of(header);
        std::string reply = header + ",time,Valid\n";
        for (int i = 0; i < rows; ++i) {
            const std::string row = line_of(tuner.requests);
            const Row cells = cells_of(row);
            std::map<std::string, std::string> values;
            for (size_t j = 0; j < names.size(); ++j)
                values[names[j]] = cells.at(j);
            const int tile = std::stoi(values.at("tile"));
            const double time = time_of(tile, std::stoi(values.at("unroll")), values.at("order"));
            const bool valid = tile < 128; // larger tiles do not fit the cache
            if (valid && (best < 0 || time < best))
                best = time;
            reply += row + "," + std::to_string(time) + "," + (valid ? "1" : "0") + "\n";
            ++evaluated;
        }
        std::fputs(reply.c_str(), tuner.replies);
        std::fflush(tuner.replies);
    }
    std::fclose(tuner.replies);
    std::fclose(tuner.requests);
    int status = 0;
    waitpid(tuner.pid, &status, 0);
    std::cout << "best time: " << best << " of " << evaluated << " configurations" << std::endl;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
