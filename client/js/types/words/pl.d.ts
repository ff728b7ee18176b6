declare const _default: import("../form/words.js").Messages;
export default _default;
