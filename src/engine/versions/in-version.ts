/** What an older version is planned with: the store and the rules of now, the names that its callers know. */
import { identifierFields } from "../../model/meaning.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { VersionView } from "../evaluation/view.ts";

/** The context itself for the current version, and for one that differs in nothing. */
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

/** References show what identifies by the version's names, where it has others. */
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
