/** JSON pointers (RFC 6901) to the inputs that a problem reports. */
import type { Endpoint, Model } from "../../model/model.ts";
import { sentNames } from "../../model/versions/changes.ts";
import { literalPattern } from "../../support/literal-pattern.ts";

export interface Pointers {
  /** `lines[0].sku` → `#/lines/0/sku`, as a URI fragment. */
  fragment(field: string): string;
  /** `lines[0].sku` → `/order/lines/0/sku`, within the body as it was sent. */
  inBody(field: string, endpoint: Endpoint | undefined): string;
}

export function createPointers(model: Model): Pointers {
  // A name on the wire may contain dots: `@odata.type`.
  const whole = sentNames(model)
    .map(({ sentAs }) => sentAs)
    .filter((name) => /[.[]/.test(name))
    .toSorted((a, b) => b.length - a.length)
    .map((name) => ({ name, form: new RegExp(`(?<=^|\\.)${literalPattern(name)}(?=$|[.[])`, "g") }));
  const steps = (field: string): string[] =>
    whole
      .reduce((text, { form }, at) => text.replace(form, `\0${at}\0`), field)
      .replace(/\[(\d+)\]/g, ".$1")
      .replace(/^\./, "")
      .split(".")
      .map((part) => part.replace(/\0(\d+)\0/g, (_, at) => whole[Number(at)]?.name ?? ""))
      .map((part) => part.replace(/~/g, "~0").replace(/\//g, "~1"));
  return {
    fragment: (field) => `#/${steps(field).map(encodeURIComponent).join("/")}`,
    inBody(field, endpoint) {
      const inner = steps(field);
      // The input is the whole body, and the client does not send its name.
      if (endpoint?.bodyIs !== undefined) inner.shift();
      return [...(endpoint?.bodyIn === undefined ? [] : [endpoint.bodyIn]), ...inner]
        .map((step) => `/${step}`)
        .join("");
    },
  };
}
