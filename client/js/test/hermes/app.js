/** The app: what tests do with it comes over `perform`, with what stands in `app`. The recipe is that of the docs. */

import "react-native";
import AsyncStorage from "@react-native-async-storage/async-storage";
import "react-native-get-random-values";
import * as sottovoce from "sottovoce/react-native";

globalThis.app = {
  ...sottovoce,
  open: (url, surveyId, options) => {
    globalThis.app.delivered = [];
    const onDelivered = ({ id }) => globalThis.app.delivered.push(id);
    globalThis.app.client = new sottovoce.SurveyClient(url, surveyId, { state: AsyncStorage, onDelivered, ...options });
    return globalThis.app.client;
  },
  recipe: () => require("./recipe.js"),
};
