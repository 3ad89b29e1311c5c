/** Default settings: there is nothing to debate. */
export default {};
