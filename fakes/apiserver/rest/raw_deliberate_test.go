package rest_test

// deliberate is all in which the fake differs on purpose, beside managedFields, which most tables do not tell.
var deliberate = []*deliberation{
	{requests: `(GET|POST) /version.*`, why: "it is another build"},
	{requests: `(POST|PUT|PATCH) .*/(validating|mutating)admissionpolicies[ /].*`, why: "it warns that it does not evaluate them", whole: true},
	{requests: `GET /livez\?verbose`, why: "there are fewer things to check"},
	{requests: `POST .*serviceAccountToken.*`, why: "volumes are not judged", whole: true},
	{requests: `POST .*/events\?dryRun=All .*`, why: "an event may be about another namespace", whole: true},
	{requests: `PATCH .*/pods/s .*(nodeSelector|terminationGracePeriodSeconds|hostname|nodeName).*`, why: "the message ends where the real one's has a diff"},
	{requests: `PATCH .*/pods/p(/ephemeralcontainers)? .*(ephemeralContainers.*\\"image\\":\\"k\\"|160m).*`, why: "the message ends where the real one's has a diff"},
	{requests: `POST .*/subjectaccessreviews .*\\"user\\":\\"bob\\",\\"resourceAttributes.*`, why: "everybody may do everything"},
	{requests: `GET .*/serviceaccounts Authorization: Bearer {TK}`, why: "nor is a service account refused anything", whole: true},
	{requests: `(POST|PATCH) .*/(persistentvolumes|persistentvolumeclaims|volumeattributesclasses)[ /?].*|DELETE .*/volumeattributesclasses/.*`,
		why: "no finalizer protects them: a controller adds it where one runs", shown: true},
	{requests: `GET /`, why: "there are fewer paths"},
	{requests: `GET /api/v1/watch/namespaces/{NAMESPACE}/configmaps/nosuch.*`, why: "where the path says watch, the state is not ended by a bookmark"},
	{requests: `GET /api/v1/configmaps.*limit=1&fieldSelector=metadata.namespace={NAMESPACE}&continue=.*`, why: "the real one shows the first page twice", whole: true},
	{requests: `GET .* Authorization:( Basic.*)?`, why: "who brings no token is refused, and not let in as anonymous", whole: true},
	{requests: `.*[?&]unseen=1.*`, why: "who manages which field is told once somebody has applied the object"},
	{requests: `(GET|POST) /openapi/v3.*`, why: "fewer resources are described"},
}
