/** Schemes of part 5 as they are sent, and the schemes that an operation accepts. */
import { needsCaller, isWithoutCallers, servingSchemes } from "../../model/authentication/caller-type.ts";
import type { Endpoint, Model, Scheme } from "../../model/model.ts";
import { camel, createNames } from "./names.ts";
import type { SecurityScheme } from "./wire.ts";

/** Schemes whose placement isn't shown are left out, because how they are sent is unknown. */
export function securitySchemes(model: Model): readonly SecurityScheme[] {
  if (isWithoutCallers(model)) return [];
  const names = createNames();
  return model.authentication.schemes.flatMap((scheme) => {
    const sent = sentAs(scheme);
    if (!sent) return [];
    const key = names.take([camel(scheme.name) || "scheme"], {
      subject: `the scheme ${scheme.name}`,
      position: scheme.position,
    });
    const { signature } = scheme;
    return [
      {
        name: scheme.name,
        key,
        scheme,
        sent,
        ...(signature ? { signature: { header: signature.header } } : {}),
      },
    ];
  });
}

function sentAs({ placement, signedWith, credentials }: Scheme): SecurityScheme["sent"] | undefined {
  if (!placement) return undefined;
  switch (placement.kind) {
    case "basic":
      return {
        kind: "basic",
        parts: placement.parts,
        ...(placement.formEncoded ? { formEncoded: true } : {}),
      };
    case "query":
    case "cookie":
      return { kind: placement.kind, name: placement.name, prefixes: [] };
    case "header": {
      const isBearer =
        placement.parameter === undefined &&
        placement.name.toLowerCase() === "authorization" &&
        placement.prefixes.some((prefix) => prefix.toLowerCase() === "bearer");
      const isToken = signedWith !== undefined || credentials?.fromClaim !== undefined;
      if (isBearer) return { kind: "bearer", ...(isToken ? { format: "JWT" as const } : {}) };
      const { name, prefixes, parameter } = placement;
      return { kind: "header", name, prefixes, ...(parameter === undefined ? {} : { parameter }) };
    }
  }
}

/**
 * Keys of the schemes that an operation accepts, each of which is enough; and whether it also
 * serves anonymous callers.
 */
export function securityOf(
  model: Model,
  endpoint: Endpoint,
  schemes: readonly SecurityScheme[],
): { readonly security: readonly string[]; readonly anonymous: boolean } {
  if (isWithoutCallers(model)) return { security: [], anonymous: true };
  const serving = new Set(servingSchemes(model, endpoint).map((servingScheme) => servingScheme.name));
  const security = schemes.filter((scheme) => serving.has(scheme.name)).map((scheme) => scheme.key);
  return { security, anonymous: !needsCaller(model, endpoint) };
}
