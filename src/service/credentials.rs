//! Credentials: given out, exchanged, listed, revoked.

use tonic::{Request, Response, Status};

use super::access::Caller;
use super::{Hall, status};
use crate::clock::Millis;
use crate::venue::secrets::{Code, Token};
use crate::venue::{Command, CredentialId, Input, Invitation, Origin, Role, Venue, WallTime};
use crate::wire::{self, v1};
use v1::access_server::Access;

/// How long a code is good where nothing is said.
const CODE_VALID: Millis = Millis::minutes(15);

type Answer<T> = Result<Response<T>, Status>;

impl Hall {
    async fn put(&self, origin: Origin, input: Input) -> Result<crate::writer::Taken, Status> {
        self.submit(Command { origin, key: None, seen: None, input }).await?.map_err(|refusal| status::status(&refusal))
    }
}

#[tonic::async_trait]
impl Access for Hall {
    async fn invite(&self, request: Request<v1::InviteRequest>) -> Answer<v1::Invitation> {
        let origin = Caller::of(&request)?.origin(Role::Office, String::new());
        let asked = request.into_inner();
        let grant = asked.grant.ok_or_else(|| wire::Error::new("grant", "is missing")).and_then(wire::grant).map_err(|e| status::malformed(&e))?;
        let valid = if asked.valid_ms == 0 { CODE_VALID } else { Millis(asked.valid_ms) };
        let (code, until) = (Code::new(rand::random()), self.clock.now().wall.plus(valid));
        let expires = asked.expires_ms.map(WallTime);
        let invitation = Invitation { grant, name: asked.name, code: code.hash(), until, expires };
        let taken = self.put(origin, Input::Invite { invitation }).await?;
        Ok(Response::new(v1::Invitation { credential: taken.made, code: code.to_string(), until_ms: until.0 }))
    }

    async fn enrol(&self, request: Request<v1::EnrolRequest>) -> Answer<v1::Login> {
        self.access.code().await?;
        let asked = request.into_inner();
        let code = Code::read(&asked.code).ok_or_else(|| Status::invalid_argument("code: twelve letters and digits, as in 7K3M-Q9ZT-04XB"))?;
        let random = zeroize::Zeroizing::new(rand::random::<[u8; 32]>());
        // The hash does not depend on the number, which is known only afterwards.
        let secret = Token::new(CredentialId(0), *random).hash();
        let taken = self.put(Origin::daemon(), Input::Enrol { code: code.hash(), secret }).await?;
        let id = CredentialId(taken.made);
        let known = self.ask(move |venue| venue.credential(id).cloned()).await?.ok_or_else(|| Status::internal("the credential is gone"))?;
        let token = Token::new(id, *random).to_string();
        Ok(Response::new(v1::Login { credential: id.0, token, grant: Some(wire::encode_grant(&known.grant)), name: known.name }))
    }

    async fn revoke(&self, request: Request<v1::RevokeRequest>) -> Answer<v1::RevokeAnswer> {
        let origin = Caller::of(&request)?.origin(Role::Office, String::new());
        let asked = request.into_inner();
        let (credential, now) = (CredentialId(asked.credential), self.clock.now().wall);
        let taken = self.put(origin, Input::Revoke { credential, reason: asked.reason }).await?;
        let known = move |venue: &Venue, id| venue.credential(id).map(|known| wire::encode_credential(id, known, Some(credential), now));
        let invited = self.ask(move |venue| venue.invited(credential, now).filter_map(|id| known(venue, id)).collect()).await?;
        Ok(Response::new(v1::RevokeAnswer { seq: taken.seq.0, invited }))
    }

    async fn list(&self, _: Request<v1::ListRequest>) -> Answer<v1::ListAnswer> {
        let now = self.clock.now().wall;
        let list =
            self.ask(move |venue| venue.credentials().map(|(id, known)| wire::encode_credential(id, known, venue.invited_by(id), now)).collect());
        Ok(Response::new(v1::ListAnswer { credentials: list.await? }))
    }

    async fn who_am_i(&self, request: Request<v1::WhoAmIRequest>) -> Answer<v1::Credential> {
        let Caller::Known(known) = Caller::of(&request)? else { return Ok(Response::new(v1::Credential::default())) };
        let (id, now) = (known.id(), self.clock.now().wall);
        let credential =
            self.ask(move |venue| venue.credential(id).map(|known| wire::encode_credential(id, known, venue.invited_by(id), now))).await?;
        Ok(Response::new(credential.unwrap_or_default()))
    }
}
