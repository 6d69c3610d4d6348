// What a command asks for on a terminal: on a pseudo terminal, as a person would see it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <chrono>
#include <functional>

#include "terminal.h"

namespace pollux {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{60};

/// A child process with a terminal of its own; what `ask` returns comes back by a pipe.
class OnTerminal {
 public:
  explicit OnTerminal(const std::function<std::string()>& ask) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(::openpty(&terminal_, &slave_, nullptr, nullptr, nullptr), 0);
    pid_ = ::fork();
    EXPECT_GE(pid_, 0);
    if (pid_ == 0) {
      ::close(terminal_);
      if (::login_tty(slave_) != 0) ::_exit(9);
      const std::string answer = ask();
      ::_exit(::write(ends[1], answer.data(), answer.size()) < 0 ? 9 : 0);
    }
    ::close(ends[1]);
    answer_ = ends[0];
  }
  ~OnTerminal() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      end();
    }
    for (const int fd : {terminal_, slave_, answer_}) ::close(fd);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  /// Waits until `text` stands on the screen, after what was waited for before.
  void wait_for(const std::string& text) {
    const auto until = Clock::now() + patience;
    while (screen_.find(text, seen_) == std::string::npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      pollfd wait{terminal_, POLLIN, 0};
      char part[256];
      const ssize_t count =
          left > 0 && ::poll(&wait, 1, static_cast<int>(left)) > 0 ? ::read(terminal_, part, sizeof part) : 0;
      ASSERT_GT(count, 0) << "never on the screen: " << text << "; but: " << screen_;
      screen_.append(part, static_cast<std::size_t>(count));
    }
    seen_ = screen_.find(text, seen_) + text.size();
  }
  void type(const std::string& text) {
    ASSERT_EQ(::write(terminal_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  /// Exit code, or minus the signal.
  int end() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string answer() {
    std::string text;
    char part[256];
    for (ssize_t count = 0; (count = ::read(answer_, part, sizeof part)) > 0;) {
      text.append(part, static_cast<std::size_t>(count));
    }
    return text;
  }
  [[nodiscard]] bool echoes() const {
    termios settings{};
    EXPECT_EQ(::tcgetattr(slave_, &settings), 0);
    return (settings.c_lflag & ECHO) != 0;
  }
  [[nodiscard]] const std::string& screen() const { return screen_; }

 private:
  pid_t pid_ = 0;
  int terminal_ = -1, slave_ = -1, answer_ = -1;
  std::string screen_;
  std::size_t seen_ = 0;
};

std::string ask_for_password() {
  const auto password = read_new_password("anna");
  return password ? "password: " + *password : "error: " + password.error().text;
}

TEST(PasswordPrompt, AsksTwiceAndShowsNothingOfWhatIsTyped) {
  OnTerminal person(ask_for_password);
  person.wait_for("New password for anna: ");
  EXPECT_FALSE(person.echoes());
  person.type("correct horse\n");
  person.wait_for("The same again: ");
  person.type("correct horse\n");
  EXPECT_EQ(person.answer(), "password: correct horse");
  EXPECT_EQ(person.end(), 0);
  EXPECT_TRUE(person.echoes());
  EXPECT_THAT(person.screen(), Not(HasSubstr("horse")));
}

TEST(PasswordPrompt, TwoThatDifferChangeNothing) {
  OnTerminal person(ask_for_password);
  person.wait_for("New password for anna: ");
  person.type("correct horse\n");
  person.wait_for("The same again: ");
  person.type("correct house\n");
  EXPECT_EQ(person.answer(), "error: the two passwords differ; nothing was changed");
}

TEST(PasswordPrompt, AnEmptyOneOrTheEndOfInputIsNoPassword) {
  {
    OnTerminal person(ask_for_password);
    person.wait_for("New password for anna: ");
    person.type("\n");
    EXPECT_EQ(person.answer(), "error: the password is empty; choose another");
  }
  OnTerminal person(ask_for_password);
  person.wait_for("New password for anna: ");
  person.type("\x04");
  EXPECT_THAT(person.answer(), HasSubstr("error: no password was given"));
  EXPECT_EQ(person.end(), 0);
  EXPECT_TRUE(person.echoes());
}

TEST(PasswordPrompt, CtrlCEndsTheCommandAndTheTerminalEchoesAgain) {
  OnTerminal person(ask_for_password);
  person.wait_for("New password for anna: ");
  person.type("half a pass\x03");
  EXPECT_EQ(person.end(), -SIGINT);
  EXPECT_TRUE(person.echoes());
  EXPECT_EQ(person.answer(), "");
}

TEST(PasswordPrompt, CtrlZDoesNotLeaveAnEchoingPromptBehind) {
  OnTerminal person(ask_for_password);
  person.wait_for("New password for anna: ");
  person.type("correct\x1ahorse\n");
  person.wait_for("The same again: ");
  person.type("correct\x1ahorse\n");
  EXPECT_EQ(person.answer(), "password: correct\x1ahorse");
}

TEST(PasswordPrompt, SignalsMeanTheirUsualThingOnceItIsOver) {
  OnTerminal person([] {
    ask_for_password();
    struct sigaction now{};
    ::sigaction(SIGINT, nullptr, &now);
    return std::string(now.sa_handler == SIG_DFL ? "default" : "left behind");
  });
  person.wait_for("New password for anna: ");
  person.type("x\n");
  person.wait_for("The same again: ");
  person.type("x\n");
  EXPECT_EQ(person.answer(), "default");
}

TEST(Confirmation, NeedsTheWordItselfAndATerminal) {
  for (const auto& [typed, expected] :
       {std::pair{"anna\n", "yes"}, {"y\n", "no"}, {"anna \n", "no"}, {"\n", "no"}}) {
    OnTerminal person([] { return std::string(confirmed("This removes anna.", "anna") ? "yes" : "no"); });
    person.wait_for("This removes anna. Type anna to go on: ");
    person.type(typed);
    EXPECT_EQ(person.answer(), expected) << typed;
  }
}

}  // namespace
}  // namespace pollux
