#include "command_line.h"

int main(int argc, char** argv) { return pollux::run_command_line(argc, argv); }
