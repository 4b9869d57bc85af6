//! The zeitnot command.

fn main() -> std::process::ExitCode {
    zeitnot::cli::run()
}
