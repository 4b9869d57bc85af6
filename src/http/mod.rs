//! One port for everything: gRPC, gRPC-Web for browsers, metrics.

mod preface;
mod serve;
pub mod tls;

use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;

use crate::service::{Access, guard};

pub use serve::{MAX_CONNECTIONS, listen, serve, serve_connection};

/// The services and `/metrics` on one router.
pub fn router(services: tonic::service::Routes, metrics: Option<PrometheusHandle>, access: Access) -> Router {
    let guarded = || axum::middleware::from_fn_with_state(access.clone(), guard);
    // The door is inside of what browsers speak, so that a refusal reaches them in their own form.
    let grpc = services.prepare().into_axum_router().layer(guarded()).layer(tonic_web::GrpcWebLayer::new()).reset_fallback();
    let page = move || {
        let text = metrics.as_ref().map_or_else(String::new, PrometheusHandle::render);
        async move { ([("content-type", "text/plain; version=0.0.4")], text) }
    };
    Router::new()
        .merge(grpc)
        .merge(Router::new().route("/metrics", get(page)).layer(guarded()))
        .fallback(|| async { (axum::http::StatusCode::NOT_FOUND, "zeitnot speaks gRPC here; metrics are at /metrics\n") })
}
