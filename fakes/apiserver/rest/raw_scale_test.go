package rest_test

import "strings"

const autoscaled = `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"sc"},"spec":{"replicas":4}}`

// scaleOf are requests to the scale of an object.
func scaleOf(path, create string) []ask {
	at := path + "/sc"
	return []ask{
		post(path, create),
		look(at + "/scale"),
		put(at+"/scale", autoscaled),
		look(at),
		merge(at+"/scale", `{"spec":{"replicas":5}}`),
		merge(at+"/scale", `{"spec":{"replicas":5}}`),
		merge(at+"/scale", `{"spec":{"replicas":-1}}`),
		merge(at+"/scale", `{"metadata":{"labels":{"a":"b"}},"status":{"replicas":9}}`),
		merge(at+"/scale", `{"metadata":{"resourceVersion":"1"},"spec":{"replicas":6}}`),
		put(at+"/scale", strings.Replace(autoscaled, `"name":"sc"`, `"name":"sc","resourceVersion":"1"`, 1)),
		put(at+"/scale", strings.Replace(autoscaled, `"name":"sc"`, `"name":"other"`, 1)),
		put(at+"/scale", strings.Replace(autoscaled, `"name":"sc"`, `"name":"sc","uid":"abc"`, 1)),
		put(at+"/scale", `{"metadata":{"name":"sc"}}`),
		put(at+"/scale?dryRun=All", strings.Replace(autoscaled, "4", "8", 1)),
		put(path+"/nosuch/scale", strings.Replace(autoscaled, `"sc"`, `"nosuch"`, 1)),
		look(path + "/nosuch/scale"),
		merge(path+"/nosuch/scale", `{}`),
		post(at+"/scale", `{}`),
		remove(at+"/scale", ""),
	}
}

// scaleAsks are about the scale of what has one.
var scaleAsks = joined(
	scaleOf(deployments, spec("sc", template)),
	scaleOf(replicasets, spec("sc", template)),
	scaleOf(statefulsets, spec("sc", template+`,"serviceName":"s"`)),
	[]ask{
		look(daemonsets + "/d/scale"),
		look(pods + "/d/scale"),
		put(deployments+"/sc/scale", `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"sc"}}`),
		put(deployments+"/sc/scale?fieldValidation=Strict", strings.Replace(autoscaled, `"spec"`, `"spam":1,"spec"`, 1)),
		{method: "PATCH", path: deployments + "/sc/scale", headers: strategic, body: `{"spec":{"replicas":2}}`},
		{method: "PATCH", path: deployments + "/sc/scale", headers: "Content-Type: application/json-patch+json", body: `[{"op":"replace","path":"/spec/replicas","value":3}]`},
		{method: "GET", path: deployments + "/sc/scale", headers: inYAML},
		{method: "GET", path: deployments + "/sc/scale", headers: asPartial},
	},
)
