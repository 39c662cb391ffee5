/** Plan context of an older version: the current store and rules with the names of that version. */
import { identifierFields } from "../../model/meaning.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { VersionView } from "../evaluation/view.ts";

/** Returns the context itself for the current version, and for a version without differences. */
export function inVersion(
  context: PlanContext,
  { view }: { readonly view: VersionView | undefined },
): PlanContext {
  if (!view) return context;
  const { resource } = context.reading;
  const negotiated = (name: string) => {
    const spec = resource(name);
    return spec && view.resource(spec);
  };
  return {
    ...context,
    view,
    current: context,
    reading: { ...context.reading, resource: negotiated },
    wire: { ...context.wire, ...identifyingNames(context, view) },
  };
}

/** Returns the names of identifying fields in the version, if they differ. */
function identifyingNames(
  { model }: PlanContext,
  view: VersionView,
): Pick<PlanContext["wire"], "identifying"> {
  const joint = model.resources.filter((resource) => identifierFields(resource).length > 1);
  const names: Record<string, Record<string, string>> = {};
  let isOtherwise = false;
  for (const resource of joint) {
    const own: Record<string, string> = {};
    for (const field of identifierFields(resource)) {
      own[field] = view.fieldName(resource.name, field);
      isOtherwise ||= own[field] !== field;
    }
    names[resource.name] = own;
  }
  return isOtherwise ? { identifying: { version: view.name, names } } : {};
}
