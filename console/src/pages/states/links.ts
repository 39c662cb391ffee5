/** Links of states and transitions. */
import type { ResourceStates } from "../../../../src/admin/api/records/states.ts";
import { addressWith } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";

/** The URL of the records in a state. */
export function linkToRecords({ name, field }: ResourceStates, state: string): string {
  return linkTo(["data", name], field === null ? {} : { filter: `${field} = ${state}` });
}

export function linkToTransition({ name }: ResourceStates, transition: string): string {
  return addressWith({ transition }, linkTo(["states", name]).split("?")[0]);
}
