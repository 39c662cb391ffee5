/** All tasks of the evaluation. */
import { largerDocuments } from "./larger-documents.ts";
import { smallServices } from "./small-services.ts";
import type { Task } from "./task.ts";

export const tasks: readonly Task[] = [...smallServices, ...largerDocuments];
