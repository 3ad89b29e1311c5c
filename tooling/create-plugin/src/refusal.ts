/** Says in one line why no plugin is made. Nothing was written. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
