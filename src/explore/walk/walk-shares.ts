/** Shares of a walk: how many requests its stories have, and how often they are of each kind. */

export const stepsPerStory = 40;
/** The steps of a story after which its streams are opened, and read. */
export const streamsOpenedAt = 8;
export const streamsReadAt = 32;
/** The number of stories that read several streams. Reading one takes time. */
export const streamingStories = 20;
/** The first id of steps that delete records. */
export const firstCleaningId = 1_000_000;
/** The number of cases drawn for a request; the one sent least often is used. */
export const choices = 14;
export const drawsMax = 60;
/** How many requests an endpoint counts that only leads to the wanted ones. */
export const unwanted = 5;
/** The number of stories that mostly create records. */
const creatingStories = 8;
/** The maximum number of requests that sign callers up before pages are filled. */
export const signUpsMax = 20;
export const goalTries = 8;
/** How often a request pursues a goal, in percent. */
export const goalPercent = 40;
/** How often a caller that can see the record of a goal is preferred to an admitted one, in percent. */
export const ownPercent = 40;
/** How often a request without a goal pursues an unmet side of a rule, in percent. */
export const ruleGoalPercent = 25;
/** An endpoint that holds a response longer, in milliseconds, gets no further requests. */
export const heldMsMax = 500;
/** How often a request is followed by reads just before and after a timer is due, in percent. */
export const timedPercent = 30;
/** How often a story begins with a new scenario of the document, or with a played one, in percent. */
export const newScenarioPercent = 60;
export const playedScenarioPercent = 20;

/** The percentage of valid requests in a story: more in the first ones, which create records. */
export function validPercentOf(story: number): number {
  return story > creatingStories ? 30 : 50;
}
