/** Part 5: how callers authenticate. */
import { formatDuration } from "../../../support/quantity.ts";
import type { Operation, SecurityScheme } from "../../wire/wire.ts";
import { expressionCode } from "../effect-words.ts";
import { gapBox, itemGaps } from "../gap-box.ts";
import { codeBlock, inlineCode } from "../highlight.ts";
import { type Html, html, joinHtml, type Piece } from "../html.ts";
import { anchorOf } from "../links.ts";
import { errorChip } from "../operation-section.ts";
import { operationLink } from "../state-section.ts";
import { countText, linkTo, type Page, selfLink, type Site } from "../site.ts";
import { aroundCredential } from "../../../model/authentication/credential-text.ts";

export function authenticationPage(site: Site): Page {
  const { wire, model } = site;
  return {
    path: "authentication.html",
    title: "Authentication",
    description: `How callers of ${model.name} authenticate`,
    body: html`<h1>Authentication</h1>
${itemGaps(site, ["scheme", "credentials", "placement"])}
${model.authentication.none && html`<p class="lead">The service has no authentication: anyone may call it.</p>`}
${wire.security.map((scheme) => schemeSection(site, scheme))}
${wire.security.length > 0 && open(site)}`,
    found: wire.security.map((scheme) => ({
      u: `authentication.html#${encodeURIComponent(anchorOf.scheme(scheme.name))}`,
      t: scheme.name,
      k: "authentication",
      w: "",
      x: "",
    })),
  };
}

function schemeSection(site: Site, security: SecurityScheme): Html {
  const { scheme, name } = security;
  const anchor = anchorOf.scheme(name);
  const { credentials } = scheme;
  const facts: readonly (readonly [string, Piece])[] = [
    [
      "Is",
      credentials &&
        html`${joinHtml(
          credentials.by.map((field) => inlineCode(field)),
          " and ",
        )} of ${linkTo(site, credentials.resource, credentials.resource)}${credentials.fromClaim !== undefined && html`, from the claim ${inlineCode(credentials.fromClaim)}`}`,
    ],
    [
      "Caller",
      scheme.caller
        ? expressionCode(scheme.caller)
        : credentials?.for !== undefined && html`the ${inlineCode(credentials.for)} of it`,
    ],
    ["Issued by", credentials && issuedBy(site, security)],
    ["Rejected with", rejectedWith(site)],
    ["Signed with", scheme.signedWith?.algorithm],
    ["Issuer", scheme.issuer],
    ["Audience", scheme.audience],
    ["Valid for", scheme.lifetimeMs !== undefined && formatDuration(scheme.lifetimeMs)],
    [
      "Signature",
      security.signature &&
        html`each request is signed in ${inlineCode(security.signature.header)}: ${scheme.signature && expressionCode(scheme.signature.value)}`,
    ],
  ];
  return html`<section id="${anchor}"><h2>${selfLink(anchor, name)}</h2>
${scheme.gap && gapBox(scheme.gap.subject, scheme.gap.position)}
${codeBlock(placement(security), "http", "Placement of the credential")}
<dl class="facts">${facts.filter(([, words]) => words !== undefined && words !== false).map(([key, words]) => html`<dt>${key}</dt><dd>${words}</dd>`)}</dl></section>`;
}

/**
 * The endpoints by which a client gets a credential; without one, the operator of the service
 * issues it.
 */
function issuedBy(
  site: Site,
  { scheme: { credentials, signedWith, issuer } }: SecurityScheme,
): Html | undefined {
  if (credentials === undefined || issuer !== undefined) return undefined;
  const issues = ({ endpoint }: Operation) =>
    endpoint.does.some(
      (does) =>
        "resource" in does &&
        does.resource === credentials.resource &&
        (does.kind === "sign in" || (signedWith === undefined && does.kind === "create")),
    );
  const operations = site.wire.operations.filter(issues);
  if (operations.length > 0)
    return joinHtml(
      operations.map((operation) => operationLink(site, operation)),
      ", ",
    );
  return signedWith === undefined
    ? html`the operator of the service: no endpoint creates a ${linkTo(site, credentials.resource, credentials.resource)}`
    : undefined;
}

/** The response to a request whose credential is missing or not valid. */
function rejectedWith(site: Site): Html | undefined {
  const error = site.wire.errors.find(({ conditions }) => conditions.includes("unauthenticated"));
  return error && errorChip(site, error);
}

function placement({ sent }: SecurityScheme): string {
  switch (sent.kind) {
    case "bearer":
      return "Authorization: Bearer ‹credential›";
    case "basic":
      return `Authorization: Basic ‹base64 of ${sent.formEncoded ? "form-encoded " : ""}${sent.parts.join(":")}${sent.parts.length === 1 ? ":" : ""}›`;
    case "cookie":
      return `Cookie: ${sent.name}=‹credential›`;
    case "query":
      return `?${sent.name}=‹credential›`;
    case "header":
      return (sent.prefixes.length === 0 ? [undefined] : sent.prefixes)
        .map((prefix) => {
          const { before, behind } = aroundCredential(sent, prefix);
          return `${sent.name}: ${before}‹credential›${behind}`;
        })
        .join("\n");
  }
}

/** The operations that need no credential. */
function open(site: Site): Html | undefined {
  const operations = site.wire.operations.filter(
    (operation) => operation.anonymous || operation.security.length === 0,
  );
  if (operations.length === 0) return undefined;
  return html`<section><h2 id="open">Without a credential</h2><details class="more"${operations.length <= 20 && html` open`}><summary>${countText(operations.length, "endpoint")} for anyone</summary><ul class="plain">${operations.map((operation) => html`<li>${operationLink(site, operation)}</li>`)}</ul></details></section>`;
}
