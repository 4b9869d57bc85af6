//! One port for everything: gRPC, gRPC-Web for browsers, metrics.

mod serve;

use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;

pub use serve::{MAX_CONNECTIONS, listen, serve, serve_connection};

/// The services and `/metrics` on one router.
pub fn router(services: tonic::service::Routes, metrics: Option<PrometheusHandle>) -> Router {
    let grpc = services.prepare().into_axum_router().layer(tonic_web::GrpcWebLayer::new()).reset_fallback();
    let page = move || {
        let text = metrics.as_ref().map_or_else(String::new, PrometheusHandle::render);
        async move { ([("content-type", "text/plain; version=0.0.4")], text) }
    };
    Router::new()
        .merge(grpc)
        .route("/metrics", get(page))
        .fallback(|| async { (axum::http::StatusCode::NOT_FOUND, "zeitnot speaks gRPC here; metrics are at /metrics\n") })
}
