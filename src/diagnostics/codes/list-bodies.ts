/** The diagnostics of bodies that are one record or a list, which are reported under `endpoints`. */
import { mistake } from "../code.ts";

export const listBodyCodes = {
  "endpoints/list-body-answer": mistake<{
    readonly text: string;
    readonly status: number;
    readonly shape?: string;
  }>(
    ({ text }) => `\`${text}\` can't be the response here, because the body may be a list of records.`,
    ({ status, shape }) =>
      shape === undefined
        ? `Write \`${status} list of\` and a shape, \`${status} nothing\`, or a code of part 7.`
        : `Write \`${shape} or list of ${shape}\`.`,
  ),
  "endpoints/list-body": mistake<{ readonly does: string; readonly reason: string }>(
    ({ does, reason }) => `\`${does}\` is not possible here: ${reason}.`,
    "Remove what contradicts it, or let the endpoint make one record only.",
  ),
};
