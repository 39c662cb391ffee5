/** A call of the client as a program: its imports, its connection, and its use of the result. */
import { memberKey } from "../typescript/schema-type.ts";
import type { SecurityScheme, Wire } from "../wire/wire.ts";
import type { ClientFunction } from "./client-plan.ts";
import { packageName } from "./package-name.ts";
import { sampleCall } from "./sample-call.ts";

/** The first lines of every sample program. */
export function connectionLines(
  { title, security }: Pick<Wire, "title" | "security">,
  names: readonly string[],
  url = "https://…",
): string {
  const [scheme] = security;
  return [
    `import { ${names.join(", ")} } from ${JSON.stringify(packageName(title))};\n`,
    `const client = connect({ url: ${JSON.stringify(url)}${scheme ? `, credentials: { ${memberKey(scheme.key)}: ${credentialText(scheme)} }` : ""} });`,
  ].join("\n");
}

/** A single call, with the credential that it needs. */
export function callCode(wire: Wire, clientFunction: ClientFunction, url?: string): string {
  const { name, kind, operation } = clientFunction;
  const security = wire.security.filter(({ key }) => operation.security.includes(key));
  const call = sampleCall(wire, clientFunction);
  const line =
    kind === "stream"
      ? `for await (const { event, data } of ${call}) console.log(event, data);`
      : kind === "list"
        ? `for await (const item of ${call}) console.log(item);`
        : `const answer = await ${call};`;
  return `${connectionLines({ title: wire.title, security }, ["connect", name], url)}\n${line}`;
}

function credentialText({ sent }: SecurityScheme): string {
  return sent.kind === "basic" ? `{ ${sent.parts.map((part) => `${part}: "…"`).join(", ")} }` : `"…"`;
}
