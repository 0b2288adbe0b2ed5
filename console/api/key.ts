/** The API key or token of this tab. It is forgotten with the tab: nothing else on the machine can read it later. */
const name = 'shelf.key';

export const keyOfTab = {
  get: () => sessionStorage.getItem(name),
  set: (key: string) => sessionStorage.setItem(name, key),
  forget: () => sessionStorage.removeItem(name),
};
