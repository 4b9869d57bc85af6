//! Compiles the protocol without `protoc`, and keeps its descriptors for gRPC reflection.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = ["record", "clocks", "consoles", "feeds", "office"].map(|name| format!("proto/zeitnot/v1/{name}.proto"));
    println!("cargo:rerun-if-changed=proto");
    let descriptors = protox::compile(&files, ["proto"])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("zeitnot.bin"), prost_bytes(&descriptors))?;
    // What is secret on its way in prints as nothing (see src/wire).
    tonic_prost_build::configure().skip_debug(["zeitnot.v1.Note", "zeitnot.v1.PrivateKey"]).compile_fds(descriptors)?;
    Ok(())
}

fn prost_bytes(descriptors: &impl prost::Message) -> Vec<u8> {
    descriptors.encode_to_vec()
}
