/** Schemes of part 5 as OpenAPI security schemes, and the requirement of an operation. */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { SecurityScheme } from "../wire/wire.ts";

export function securitySchemeObject({ name, sent, signature }: SecurityScheme): JsonSchema {
  const signed = signature ? ` Requests are signed in the header ${signature.header}.` : "";
  switch (sent.kind) {
    case "bearer":
      return {
        type: "http",
        scheme: "bearer",
        ...(sent.format ? { bearerFormat: sent.format } : {}),
        description: `${name}.${signed}`,
      };
    case "basic":
      return {
        type: "http",
        scheme: "basic",
        description: `${name}: ${sent.parts.join(" and ")}${sent.formEncoded ? ", form-encoded" : ""}.${signed}`,
      };
    default: {
      const before =
        sent.prefixes.length === 0
          ? ""
          : ` After ${sent.prefixes.map((prefix) => `\`${prefix}\``).join(" or ")}.`;
      const within = sent.parameter === undefined ? "" : ` In the parameter \`${sent.parameter}="…"\`.`;
      return {
        type: "apiKey",
        in: sent.kind,
        name: sent.name,
        description: `${name}.${before}${within}${signed}`,
      };
    }
  }
}

/** Each of the schemes is enough; without schemes, nothing is required. */
export function securityRequirement(keys: readonly string[], anonymous: boolean): readonly JsonSchema[] {
  const each = keys.map((key): JsonSchema => ({ [key]: [] }));
  // Without a scheme, `[]` means that no credential is required; with schemes, `{}` means that it
  // is optional.
  return anonymous && each.length > 0 ? [...each, {}] : each;
}
