//! Compiles the protocol without `protoc`, and keeps its descriptors for gRPC reflection.

use std::path::PathBuf;

/// Messages that hold what is secret on its way in or out, and print as nothing (see src/wire).
const SECRET: [&str; 5] = ["zeitnot.v1.Note", "zeitnot.v1.PrivateKey", "zeitnot.v1.EnrolRequest", "zeitnot.v1.Invitation", "zeitnot.v1.Login"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = ["record", "access", "clocks", "consoles", "feeds", "office"].map(|name| format!("proto/zeitnot/v1/{name}.proto"));
    println!("cargo:rerun-if-changed=proto");
    let descriptors = protox::compile(&files, ["proto"])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("zeitnot.bin"), prost_bytes(&descriptors))?;
    tonic_prost_build::configure().skip_debug(SECRET).compile_fds(descriptors)?;
    Ok(())
}

fn prost_bytes(descriptors: &impl prost::Message) -> Vec<u8> {
    descriptors.encode_to_vec()
}
