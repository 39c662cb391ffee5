/**
 * Example records for a form: the values that the document's scenarios send to create a record, by
 * field, as a user would type them.
 */
import type { Model } from "../model/model.ts";
import { currentVersion } from "../model/versions/request-version.ts";
import { memoizeBy } from "../support/memoize-by.ts";
import { endpointForms } from "./try-it/endpoint-forms.ts";

export interface RecordExample {
  readonly scenario: string;
  readonly line: number;
  /** The typed values by field. */
  readonly values: Readonly<Record<string, string>>;
}

/** The maximum number of examples for one resource. */
const examplesMax = 6;

export function recordExamples(model: Model, resource: string): readonly RecordExample[] {
  const fields = new Set(
    model.resources.find(({ name }) => name === resource)?.fields.map((field) => field.name),
  );
  return createForms(model)
    .filter((form) => form.resource === resource)
    .flatMap(({ examples }) => examples)
    .filter(({ status }) => status < 300)
    .flatMap(({ scenario, line, values }) => {
      const own = Object.entries(values).flatMap(([key, text]) => {
        const name = /^body\.(.+)$/.exec(key)?.[1];
        return name !== undefined && fields.has(name) ? [[name, text] as const] : [];
      });
      return own.length === 0 ? [] : [{ scenario, line, values: Object.fromEntries(own) }];
    })
    .slice(0, examplesMax);
}

/** The forms of the endpoints that create a record, in the current version. */
const createForms = memoizeBy((model: Model) => {
  const current = currentVersion(model.versioning);
  const version = model.versioning.versions.find(({ name }) => name === current);
  const created = new Map(
    model.endpoints
      .filter(({ does }) => does.some(({ kind }) => kind === "create"))
      .map(({ method, path, resource }) => [`${method} ${path.text}`, resource]),
  );
  return endpointForms(model, version).flatMap((form) => {
    const resource = created.get(form.key);
    return resource === undefined ? [] : [{ ...form, resource }];
  });
});
