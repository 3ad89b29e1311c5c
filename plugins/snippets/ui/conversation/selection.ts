import { shallowRef } from "vue";

/**
 * A text that was selected in a conversation and is to be saved. What offers it goes with the selection, which goes with
 * the first key in the dialog; so the dialog stands elsewhere on the page.
 */
export const selection = { held: shallowRef<string>() };
